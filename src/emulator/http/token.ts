import { hash, timingSafeEqual } from 'node:crypto'

/** Whether an Authorization header carries this bearer token; takes as long for a near miss as for a far one. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1]
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
