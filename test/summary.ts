import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/**
 * Ends a run with one line: the tests that passed, failed and were skipped, and what did not run at all, each with the
 * reason. Names the tests that passed at their second try alone: only CI gives a second try, because a race that one run in
 * fifty meets must not stop a change that has nothing to do with it, and must not be hidden either.
 */
export default class Summary implements Reporter {
  #all = true

  onInit(vitest: Vitest): void {
    this.#all = vitest.config.testNamePattern === undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    for (const test of tests.filter((one) => one.diagnostic()?.flaky === true))
      say(`NOT STABLE, fix it: ${test.module.relativeModuleId} > ${test.fullName} failed, and passed at its second try`)
    const failed = tests.filter(hasFailed).length + modules.filter(isBroken).length
    const idle = this.#all ? didNotRun(modules) : []
    const skipped = tests.filter(wasSkipped).length
    const line = `tests: ${tests.filter(hasPassed).length} passed, ${failed} failed, ${skipped} skipped`
    say(idle.length === 0 ? line : `${line}; did not run: ${idle.join('; ')}`)
  }
}

/** A file that failed before its tests began, so that none of them counts as failed. */
function isBroken(module: TestModule): boolean {
  return module.state() === 'failed' && ![...module.children.allTests()].some(hasFailed)
}

/** Parts of the suite of which no test ran, with the reason, and files of other parts. */
function didNotRun(modules: readonly TestModule[]): string[] {
  const idle = modules.filter((module) => {
    const tests = [...module.children.allTests()]
    return tests.length > 0 && tests.every(wasSkipped)
  })
  const parts = new Map(idle.map(({ project }) => [project, modules.filter((module) => module.project === project)]))
  return [...parts].flatMap(([project, ofPart]) => {
    const missing = project.getProvidedContext().missing
    if (missing) return [`${project.name} (${missing})`]
    return ofPart.filter((module) => idle.includes(module)).map((module) => module.relativeModuleId)
  })
}

const hasPassed = (test: TestCase) => test.result().state === 'passed'
const hasFailed = (test: TestCase) => test.result().state === 'failed'
/** A test of a skipped part stays pending. */
const wasSkipped = (test: TestCase) => !hasPassed(test) && !hasFailed(test)

function say(line: string): void {
  process.stderr.write(`\n${line}\n`)
}
