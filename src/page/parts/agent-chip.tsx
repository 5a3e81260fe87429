import { openPause } from '../state/open-customer.ts'
import { openPart } from '../state/view.ts'
import { agent } from '../state/world.ts'
import { timeOfDay } from './time.ts'

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
