import { SwitchhookError } from '../base/errors.ts'
import { isLoopback } from '../base/loopback.ts'
import { API_PREFIX } from '../contract/index.ts'

/** The base address with `/api/v2` at its end, whichever way it was written (GEN-01). No message repeats it whole. */
export function apiAddress(baseUrl: string): string {
  if (typeof (baseUrl as unknown) !== 'string' || !URL.canParse(baseUrl))
    refuse('expected a whole address such as https://service.example')
  const url = new URL(baseUrl)
  if (!/^https?:$/.test(url.protocol) && !baseUrl.includes('://'))
    refuse('expected a whole address such as http://127.0.0.1:4747: http:// or https:// is missing')
  if (url.username !== '' || url.password !== '') refuse('must not hold a user name or password: give accessToken')
  if (url.search !== '' || url.hash !== '') refuse('must not hold a query or fragment')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.href)))
    refuse(
      `must be https (http on this machine alone): the token goes with every request, got ${url.protocol}//${url.host}`,
    )
  const path = url.pathname.replace(/\/+$/, '')
  const version = /\/api\/v[0-9]+(?=\/|$)/.exec(path)
  if (version === null) return `${url.origin}${path}${API_PREFIX}`
  if (version[0] !== API_PREFIX) refuse(`must not hold ${version[0]}: this client speaks ${API_PREFIX} alone (GEN-14)`)
  if (!path.endsWith(API_PREFIX) || version.index + API_PREFIX.length !== path.length)
    refuse(`must end in ${API_PREFIX}, or before it: endpoints are added by the client`)
  return `${url.origin}${path}`
}

function refuse(why: string): never {
  throw new SwitchhookError('options_invalid', `baseUrl: ${why}`)
}
