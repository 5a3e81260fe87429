import { inject, type RunnerTestSuite, TestRunner } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Which tool this part of the suite needs and does not find, and how to get it. Empty: it has what it needs. */
    missing: string
  }
}

/** Skips every test of a part whose tool cannot start: the summary at the end names the part and the reason. */
export default class SkipPart extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (inject('missing')) suite.mode = 'skip'
    await super.onBeforeRunSuite(suite)
  }
}
