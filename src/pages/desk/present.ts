import { useEffect } from 'preact/hooks'
import { post } from './requests-of-desk.ts'
import { quietly } from './state-of-desk.ts'

const AGAIN_MS = 20_000
/** How often typing is reported. Eight seconds after a report, the server assumes that the typing has ended. */
const TYPING_MS = 4_000

let typedAt = Number.NEGATIVE_INFINITY

/** Tells colleagues that this person has the chat open. */
export function usePresence(customer: string): void {
  useEffect(() => {
    const report = (left: boolean) => void quietly(post('api/presence', { customer, left }, { keepalive: left }))
    const leave = () => report(true)
    const timer = setInterval(() => document.hidden || report(false), AGAIN_MS)
    addEventListener('pagehide', leave)
    return () => {
      clearInterval(timer)
      removeEventListener('pagehide', leave)
      leave()
    }
    // Do not run the effect again when the customer gets another handle: every handle stays valid.
  }, [])
}

export function reportTyping(customer: string): void {
  const now = performance.now()
  if (now - typedAt < TYPING_MS) return
  typedAt = now
  void quietly(post('api/presence', { customer, typing: true }))
}

export function reportSent(customer: string): void {
  typedAt = Number.NEGATIVE_INFINITY
  void quietly(post('api/presence', { customer }))
}
