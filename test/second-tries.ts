import type { Reporter, TestModule } from 'vitest/node'

/**
 * Names at the end of a run the tests that passed at their second try alone. Only CI gives a second try: a race that one
 * run in fifty meets stops no change that has nothing to do with it, and is not hidden either.
 */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky === true).map((test) => [module, test]),
    ) as [TestModule, { fullName: string }][]
    for (const [{ relativeModuleId }, { fullName }] of flaky)
      process.stderr.write(
        `\nNOT STABLE, mend it: ${relativeModuleId} > ${fullName} failed, and passed at its second try\n`,
      )
  }
}
