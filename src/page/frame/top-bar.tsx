import { useComputed } from '@preact/signals'
import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import { Icon } from '../components/icon.tsx'
import { HelpButton } from '../keyboard/help.tsx'
import { now, offsetMs, resetClock } from '../state/clock.ts'
import { live, loaded } from '../state/follow.ts'
import { openPause } from '../state/open-customer.ts'
import { openPart } from '../state/view.ts'
import { agent, faults, subscriptions } from '../state/world.ts'
import { clockText, offsetText, timeOfDay } from '../text/time.ts'
import { ThemeButton } from './theme-button.tsx'

/** What must be seen at all times: the connection, the time, the endpoint, and whether anything is broken on purpose. */
export function TopBar() {
  return (
    <header class="top-bar">
      <h1>
        Switchhook <span>emulator</span>
      </h1>
      <Connection />
      <ClockChip />
      <AgentChip />
      <EndpointChip />
      <FaultBadge />
      <span class="tail">
        <ThemeButton />
        <HelpButton />
      </span>
    </header>
  )
}

function Connection() {
  const state = live.value ? 'live' : loaded.value ? 'lost' : 'connecting'
  const words = { live: 'Live', lost: 'Reconnecting…', connecting: 'Connecting…' }[state]
  return (
    <span class={`chip connection ${state}`} role="status">
      <i class="dot" aria-hidden="true" />
      {words}
    </span>
  )
}

function ClockChip() {
  const text = useComputed(() => clockText(now.value))
  return (
    <span class="chip clock" title="The time of the emulated service">
      <span class="visually-hidden">Emulated time </span>
      <time>{text}</time>
      {offsetMs.value !== 0 && (
        <>
          <b>{offsetText(offsetMs.value)}</b>
          <button type="button" class="quiet" onClick={resetClock} title="Back to the time of this machine">
            reset
          </button>
        </>
      )}
    </span>
  )
}

function EndpointChip() {
  const all = subscriptions.value
  const disabled = all.filter(({ state }) => state === 'disabled').length
  const failures = Math.max(0, ...all.map((one) => one.failures))
  const words =
    all.length === 0
      ? 'No endpoint'
      : disabled > 0
        ? `${disabled} endpoint disabled`
        : failures > 0
          ? `Endpoint ${failures}/${FAILURES_UNTIL_DISABLED} failed`
          : 'Endpoint fine'
  const tone = disabled > 0 ? 'bad' : failures > 0 || all.length === 0 ? 'warn' : ''
  return (
    <button type="button" class={`chip ${tone}`} onClick={() => openPart('endpoint')}>
      {words}
    </button>
  )
}

function FaultBadge() {
  const armed = faults.value.rules.length
  if (armed === 0) return null
  return (
    <button type="button" class="chip bad fault-badge" onClick={() => openPart('faults')}>
      <Icon name="bolt" /> {armed === 1 ? '1 fault armed' : `${armed} faults armed`}
    </button>
  )
}

/** Whether the service's AI agent would answer the customer who is open. */
export function AgentChip() {
  const it = agent.value
  const pause = openPause.value
  const words = !it?.on ? 'AI agent off' : pause ? `AI agent paused until ${timeOfDay(pause.until)}` : 'AI agent on'
  return (
    <button
      type="button"
      class={`chip ${it?.on && !pause ? 'good' : ''}`}
      onClick={() => openPart('agent')}
      title={pause ? 'A send pauses it; the customer wakes it with BOT' : 'The service’s own agent, as a stub'}
    >
      {words}
    </button>
  )
}
