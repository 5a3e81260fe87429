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

/** The one that this tab had before. */
export function keptToken(): string {
  try {
    return sessionStorage.getItem(KEPT_AS) ?? ''
  } catch {
    return ''
  }
}
