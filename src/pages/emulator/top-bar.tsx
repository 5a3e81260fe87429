import { useComputed } from '@preact/signals'
import { FAILURES_UNTIL_DISABLED } from '../../service/delivery.ts'
import { selectedPause } from './state/selected-customer.ts'
import { agent, faults, now, offsetMs, resetClock, subscriptions } from './state/service.ts'
import { isLive, isLoaded } from './state/follow.ts'
import { openSection } from './state/view.ts'
import { formatDateTime, formatOffset, formatTime } from '../ui/text/time.ts'
import { tokenMissing } from './wire/control.ts'

export function TopBar() {
  return (
    <header class="top-bar bar line">
      <h1>
        Switchhook <span>emulator</span>
      </h1>
      <Connection />
      <ClockChip />
      <AgentChip />
      <EndpointChip />
      <FaultBadge />
    </header>
  )
}

function Connection() {
  const state = isLive.value ? 'live' : tokenMissing.value ? 'locked' : isLoaded.value ? 'lost' : 'connecting'
  const text = { live: 'Live', locked: 'Locked', lost: 'Reconnecting…', connecting: 'Connecting…' }[state]
  return (
    <span class={`chip ${state === 'live' ? '' : 'warn'}`} role="status">
      <i class="dot" aria-hidden="true" />
      {text}
    </span>
  )
}

function ClockChip() {
  const text = useComputed(() => formatDateTime(now.value))
  return (
    <span class="chip" title="The time of the emulated service">
      <span class="visually-hidden">Emulated time </span>
      <time>{text}</time>
      {offsetMs.value !== 0 && (
        <>
          <b>{formatOffset(offsetMs.value)}</b>
          <button type="button" class="quiet" onClick={resetClock} title="Back to the time of this machine">
            reset
          </button>
        </>
      )}
    </span>
  )
}

function AgentChip() {
  const settings = agent.value
  const pause = selectedPause.value
  const text = !settings?.on
    ? 'AI agent off'
    : pause
      ? `AI agent paused until ${formatTime(pause.until)}`
      : 'AI agent on'
  return (
    <button
      type="button"
      class={`chip ${settings?.on && !pause ? 'good' : ''}`}
      onClick={() => openSection('agent')}
      title={pause ? 'A send pauses it; the customer resumes it with BOT' : 'The service’s own agent, as a stub'}
    >
      {text}
    </button>
  )
}

function EndpointChip() {
  const all = subscriptions.value
  const disabled = all.filter(({ state }) => state === 'disabled').length
  const failures = Math.max(0, ...all.map((one) => one.failures))
  const text =
    all.length === 0
      ? 'No endpoint'
      : disabled > 0
        ? `${disabled} endpoint disabled`
        : failures > 0
          ? `Endpoint ${failures}/${FAILURES_UNTIL_DISABLED} failed`
          : 'Endpoint fine'
  const tone = disabled > 0 ? 'bad' : failures > 0 || all.length === 0 ? 'warn' : ''
  return (
    <button type="button" class={`chip ${tone}`} onClick={() => openSection('endpoint')}>
      {text}
    </button>
  )
}

function FaultBadge() {
  const armed = faults.value.rules.length
  if (armed === 0) return null
  return (
    <button type="button" class="chip bad" onClick={() => openSection('faults')}>
      {armed === 1 ? '1 fault armed' : `${armed} faults armed`}
    </button>
  )
}

export function TokenHint() {
  return tokenMissing.value ? (
    <p class="cause">
      You need this run’s control token to see conversations. Open the address that the terminal printed.
    </p>
  ) : null
}
