import { isPublicHost } from '../base/public-host.ts'

/**
 * Why the upstream platform cannot fetch an address, or undefined where it can: https, without user info, and not
 * on this machine or in a private network (SEND-05). Does not repeat the address, which may be signed.
 */
export function addressProblem(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || url.protocol !== 'https:' || !/^https:\/\/\S+$/i.test(address))
    return 'no whole https address: the upstream platform fetches it, by https alone'
  if (url.username !== '' || url.password !== '') return 'holds a user name or password: it is fetched anonymously'
  if (!isPublicHost(url.hostname))
    return 'points to this machine or a private network: the upstream platform cannot reach it'
  return undefined
}

/** For how many seconds a signed address of the large stores says that it holds; Infinity where it does not say. */
export function expiryOf(address: string): number {
  const query = URL.parse(address)?.searchParams
  const seconds = query?.get('X-Amz-Expires') ?? query?.get('X-Goog-Expires') ?? ''
  return /^\d+$/.test(seconds) ? Number(seconds) : Number.POSITIVE_INFINITY
}
