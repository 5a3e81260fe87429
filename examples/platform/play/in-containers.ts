/** The play beside processes that somebody else keeps, such as Docker Compose: see compose.yaml. */
import { tallyLine } from './picture.ts'
import { show } from './show.ts'

const { BALANCER = '', PROCESSES = '', PORT = '8080', RATE = '10' } = process.env
const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt.abort())

const tally = await show({
  service: { host: '127.0.0.1', port: Number(PORT) },
  balancer: BALANCER,
  processes: PROCESSES.split(' ').map((process) => {
    const [name = '', url = ''] = process.split('=')
    return { name, url }
  }),
  rate: Number(RATE),
  seconds: undefined,
  interrupt,
})
if (!interrupt.signal.aborted) console.log(tallyLine(tally))
