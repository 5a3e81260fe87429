import type { IncomingMessage } from 'node:http'

/** What is read of an Express request: the route that it names, and a route's list of handlers. */
export type Routed = IncomingMessage & {
  readonly route?: { readonly path?: unknown; readonly stack?: readonly { readonly handle?: unknown }[] }
}

/**
 * Whether a request is at the very path of a middleware. Under `app.use(path)` Express cuts the mount path off;
 * under `app.post(path)` it names the route. A route that was only passed on the way stays named, though, and
 * says nothing of where the request is now.
 */
export function isAtMountPath(request: Routed, middleware: unknown): boolean {
  const path = pathOf(request.url)
  if (path === '/' || path === '') return true
  const { route } = request
  if (!route) return false
  return (
    route.stack?.some(({ handle }) => handle === middleware) === true ||
    // Wrapped in a function of the app's, it is not in the list: then the route's own path must be the whole one.
    [route.path].flat().some((pattern) => typeof pattern === 'string' && spells(pattern, path))
  )
}

/** The path of a request's address; proxies may send the absolute form, which begins with a scheme and a host. */
export function pathOf(url: string | undefined): string {
  const target = (url ?? '').replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  return target.split('?', 1)[0] ?? ''
}

/** Segment by segment; a `:name` stands for any one, a wildcard for none. */
function spells(pattern: string, path: string): boolean {
  const [wanted, given] = [segments(pattern), segments(path)]
  return wanted.length === given.length && wanted.every((one, at) => one.startsWith(':') || one === given[at])
}

function segments(path: string): string[] {
  return path.toLowerCase().replace(/\/$/, '').split('/')
}
