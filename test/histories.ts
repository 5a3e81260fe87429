import * as fc from 'fast-check'

/** Of no meaning, but the same in every run. */
const SEED = 20_261_122

/**
 * Random inputs and histories are the same in every run, so that a red run is the doing of its change. `SEED=random`
 * plays others, `SEED=<number>` those of a failure.
 */
const asked = process.env['SEED']
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: asked ? Number(asked) : SEED })
