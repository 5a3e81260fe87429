import { signal } from '@preact/signals'
import type { QueueRow } from '../../features/people/desk/desk-api.ts'
import { formatCount, t } from './words.ts'

/** The text that a screen reader reads next. */
export const announced = signal('')

export function announce(text: string): void {
  announced.value = text
}

const SETTINGS = 'switchhook desk alerts'

export interface Alerts {
  readonly sound: boolean
  readonly notify: boolean
}

/** Sound and notifications are off until a person turns them on in this browser. */
export const alerts = signal<Alerts>(keptAlerts())

function keptAlerts(): Alerts {
  try {
    const { sound, notify } = JSON.parse(localStorage.getItem(SETTINGS) ?? '{}') as Partial<Alerts>
    return { sound: sound === true, notify: notify === true }
  } catch {
    return { sound: false, notify: false }
  }
}

export function setAlerts(change: Partial<Alerts>): void {
  alerts.value = { ...alerts.value, ...change }
  localStorage.setItem(SETTINGS, JSON.stringify(alerts.value))
}

/** Resolves with false if the browser does not allow notifications. */
export async function askToNotify(): Promise<boolean> {
  return 'Notification' in window && (await Notification.requestPermission()) === 'granted'
}

/** Call this for a waiting customer who has written, unless this tab is visible and shows their chat. */
export function signalNew({ id, name, phone }: QueueRow): void {
  const text = t('newMessage', { name: name ?? phone })
  announce(text)
  if (alerts.value.sound) playTone()
  if (!alerts.value.notify || !document.hidden || !('Notification' in window)) return
  try {
    // With the same tag, a customer has one notification, even if several tabs make it.
    const shown = new Notification(text, { tag: `switchhook desk ${id}` })
    shown.addEventListener('click', () => window.focus())
  } catch {
    // Browsers on phones throw, because there only a service worker can show a notification.
  }
}

let audio: AudioContext | undefined

function playTone(): void {
  audio ??= new AudioContext()
  const { currentTime: now, destination } = audio
  const [tone, volume] = [audio.createOscillator(), audio.createGain()]
  tone.frequency.value = 660
  volume.gain.setValueAtTime(0.15, now)
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.4)
  tone.connect(volume).connect(destination)
  tone.start(now)
  tone.stop(now + 0.4)
}

/** Shows how many customers wait: in the title, in the icon, and on the home screen of a phone. */
export function showCount(waiting: number, name: string): void {
  document.title = waiting === 0 ? name : `(${formatCount(waiting)}) ${name}`
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  if (icon) icon.href = waiting === 0 ? './icon.svg' : badge(waiting)
  const device: { setAppBadge?(count: number): Promise<void> } = navigator
  void device.setAppBadge?.(waiting).catch(() => {})
}

function badge(waiting: number): string {
  const text = waiting > 99 ? '99' : String(waiting)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b3261e"/><text x="16" y="23" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="19" fill="#fff">${text}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
