import { useComputed } from '@preact/signals'
import { FAILURES_UNTIL_DISABLED } from '../../contract/limits.ts'
import { resetClock } from '../controls/time/move.ts'
import { live, loaded } from '../state/follow.ts'
import { now, offsetMs } from '../state/clock.ts'
import { faults, subscriptions } from '../state/world.ts'
import { openPart } from '../state/view.ts'
import { Icon } from './icon.tsx'
import { AgentChip } from './agent-chip.tsx'
import { clockText, offsetText } from './time.ts'
import { ThemeButton } from './theme-button.tsx'
import { HelpButton } from '../keys/help-button.tsx'

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
