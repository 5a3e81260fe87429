import { signal } from '@preact/signals'

/** Of this run of the emulator: every change needs it. It comes in the address and stays in this tab. */
export const controlToken = signal('')

/** Something was refused for want of it. */
export const tokenMissing = signal(false)

const KEPT_AS = 'switchhook.control-token'

export function takeToken(token: string): void {
  controlToken.value = token
  tokenMissing.value = token === ''
  try {
    sessionStorage.setItem(KEPT_AS, token)
  } catch {
    // A browser that keeps nothing: then it lives as long as the page.
  }
}

/** The token in what somebody pasted: it alone, or the address that the terminal printed. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim()
  const [, hash] = /^(?:https?:\/\/[^#]*)?#?(token=.*)$/.exec(text) ?? []
  return hash === undefined ? text : (new URLSearchParams(hash).get('token') ?? '')
}

/** The one that this tab had before. */
export function keptToken(): string {
  try {
    return sessionStorage.getItem(KEPT_AS) ?? ''
  } catch {
    return ''
  }
}
