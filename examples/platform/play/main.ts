/** `npm run platform`: the platform on this machine, its customers, and what becomes of it. */
import { parseArgs } from 'node:util'
import { startLocal } from './local.ts'
import { tallyLine } from './picture.ts'
import { show } from './show.ts'

const USAGE = 'npm run platform -- [--for 20s] [--rate 10]: for so many seconds, with so many orders a second'
const INTERRUPTED = 130

const { seconds, rate } = asked()
const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort())
process.stdout.on('error', () => interrupt.abort())
process.exitCode = await play()

function asked(): { seconds: number | undefined; rate: number } {
  try {
    const options = { for: { type: 'string' }, rate: { type: 'string', default: '10' } } as const
    const { values } = parseArgs({ options })
    const seconds = values.for === undefined ? undefined : Number(/^(\d+)s$/.exec(values.for)?.[1])
    const rate = Number(values.rate)
    if (!Number.isNaN(seconds) && rate > 0) return { seconds, rate }
  } catch {
    // An unknown option is reported like a wrong one.
  }
  console.error(USAGE)
  process.exit(2)
}

async function play(): Promise<number> {
  let failed = false
  await using local = await startLocal((name, said) => {
    failed = true
    console.error(`${name} ended unexpectedly: ${said}`)
    interrupt.abort()
  })
  const tally = await show({ ...local, rate, seconds, interrupt })
  if (interrupt.signal.aborted) return failed ? 1 : INTERRUPTED
  console.log(tallyLine(tally))
  return tally.answered === tally.written && tally.doubled === 0 ? 0 : 1
}
