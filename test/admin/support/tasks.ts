import type { Browser, Page } from 'playwright-core'

/** A task of the page's main thread. */
export interface Task {
  /** For so long the thread had a processor: other work on the machine lengthens the task by the clock, and not this. */
  readonly cpuMs: number
  readonly wallMs: number
}

/** As Chromium writes it; times are in microseconds. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

const TASK = 'ThreadControllerImpl::RunTask'

/**
 * The tasks that the page ran during `work`, by Chromium's own trace, the one with the most time of the processor first.
 * Empty on a system that does not tell that time.
 */
export async function tasksOf(browser: Browser, page: Page, work: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories: ['toplevel'] })
  await work()
  const trace = await browser.stopTracing()
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] }
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const threads = new Set(mains.map(threadOf))
  return (
    traceEvents
      .filter((event) => event.name === TASK && threads.has(threadOf(event)))
      // The clock of a thread goes by ticks on some machines: a task of one tick seems longer than it was.
      .flatMap(({ tdur, dur = 0 }) =>
        tdur === undefined ? [] : { cpuMs: Math.min(tdur, dur) / 1_000, wallMs: dur / 1_000 },
      )
      .sort((a, b) => b.cpuMs - a.cpuMs)
  )
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`
}
