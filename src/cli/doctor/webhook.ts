import { createServer } from 'node:net'
import { reasonOf } from '../../base/errors.ts'
import { isPublicHost } from '../../emulator/http/public-host.ts'
import { certificateFix } from '../support/http.ts'
import { bad, badInProd, doubt, type Finding, note, ok, type Setup } from './finding.ts'

const TIMEOUT_MS = 10_000

/** Checks the endpoint's address and its answer to an unsigned POST. */
export async function webhook(setup: Setup): Promise<Finding> {
  const id = 'webhook'
  if (setup.webhook === undefined)
    return setup.prod
      ? doubt(id, 'not asked', 'name the address that the service delivers to: --webhook')
      : note(id, 'not asked: --webhook names the address that the service delivers to')
  const url = URL.parse(setup.webhook)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return bad(
      id,
      '--webhook is no http or https address without credentials',
      'write the whole address, with its path',
    )
  if (url.protocol !== 'https:' || !isPublicHost(url.hostname)) {
    const answer = await probed(url)
    const text = 'is not public https: the service refuses to register it'
    return answer.state === 'ok'
      ? badInProd(
          setup,
          id,
          `${answer.says}, but the address ${text}`,
          'register a public https address; the emulator takes this one',
        )
      : answer
  }
  return probed(url)
}

async function probed(url: URL): Promise<Finding> {
  const id = 'webhook'
  let status: number
  try {
    const body = '{"probe":"switchhook doctor"}'
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = answer.status
    await answer.body?.cancel()
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error
    const { code } = cause as NodeJS.ErrnoException
    const mend = certificateFix(code)
    if (mend !== undefined) return bad(id, `its certificate is not trusted (${code})`, mend)
    return bad(
      id,
      `nothing answers there (${code ?? reasonOf(cause)})`,
      'does the app run, and does the name lead to it?',
    )
  }
  const meaning = status >= 500 ? MEANINGS[500] : (MEANINGS[status] ?? MEANINGS[Math.floor(status / 100) * 100])
  if (status === 401) return ok(id, 'it refuses a delivery that nobody signed, with 401')
  return (status === 403 ? doubt : bad)(
    id,
    `it answers ${status} to a delivery that nobody signed`,
    meaning ?? 'a receiver answers 401',
  )
}

const MEANINGS: Readonly<Record<number, string>> = {
  200: 'nothing verifies there: anybody can post messages. Is the bot mounted at this path?',
  300: 'a redirect: register the address to which it leads; a delivery does not follow',
  400: 'a receiver answers 401; does something before the app answer, or read the body?',
  403: 'does something before the app (a firewall, a CSRF check) refuse it? It would refuse the service too',
  404: 'nothing is mounted at this path: is it the one of serve() or app.use()?',
  405: 'it takes no POST: is the bot mounted at this path?',
  500: 'see the log of the app: was the body parsed before the bot saw it, or can the database not be written?',
}

/** Checks whether the app's port is free; if it is taken, perhaps by the app itself. */
export async function port(setup: Setup): Promise<Finding> {
  const id = 'port'
  const code = await new Promise<void>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(setup.port, () => server.close(() => resolve()))
  }).catch((error: NodeJS.ErrnoException) => error.code ?? 'unknown')
  if (code === undefined) return ok(id, `port ${setup.port} is free`)
  if (code === 'EADDRINUSE')
    return note(id, `something listens on port ${setup.port}: your app, if it runs; else pass another to serve()`)
  return bad(id, `port ${setup.port} cannot be listened on (${code})`, 'pass another to serve(), above 1023')
}
