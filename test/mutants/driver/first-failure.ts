import * as fc from 'fast-check'

/** The first history that fails is a verdict: to look for a shorter one may take longer than a test may. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
