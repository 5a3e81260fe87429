import type { ComponentType } from 'preact'
import { useRef } from 'preact/hooks'
import { confirm, ConfirmDialog } from '../../ui/components/dialog.tsx'
import { runAction, toast } from '../../ui/components/messages.ts'
import { openSectionName, type SectionName } from '../state/view.ts'
import { change } from '../wire/control.ts'
import { Conversations } from './conversations.tsx'
import { EndpointSection } from './endpoint.tsx'
import { FaultsSection } from './faults.tsx'
import { AccountSection, AgentSection, AssumptionsSection, TemplatesSection, TimeSection } from './settings.tsx'

interface SectionProps {
  readonly name: SectionName
  readonly title: string
  readonly Body: ComponentType
}

const SECTIONS: readonly SectionProps[] = [
  { name: 'time', title: 'Time', Body: TimeSection },
  { name: 'endpoint', title: 'Endpoint', Body: EndpointSection },
  { name: 'faults', title: 'Faults', Body: FaultsSection },
  { name: 'agent', title: 'AI agent', Body: AgentSection },
  { name: 'account', title: 'Account', Body: AccountSection },
  { name: 'templates', title: 'Templates', Body: TemplatesSection },
  { name: 'assumptions', title: 'Assumptions', Body: AssumptionsSection },
]

export function Controls() {
  return (
    <section class="pane controls" aria-label="Controls">
      <header class="bar line">
        <h2>Controls</h2>
      </header>
      <div class="scroll">
        <Conversations />
        {SECTIONS.map((section) => (
          <Section key={section.name} {...section} />
        ))}
        <button type="button" class="danger reset" onClick={confirmReset}>
          Reset everything
        </button>
      </div>
      <ConfirmDialog />
    </section>
  )
}

function confirmReset(): void {
  confirm({
    title: 'Reset everything?',
    text: 'All conversations, templates, keys, faults and deliveries are deleted, and the clock is reset.',
    action: 'Reset',
    run: () =>
      runAction(async () => {
        await change('POST', 'reset')
        toast.value = 'The emulator starts again.'
      }),
  })
}

function Section({ name, title, Body }: SectionProps) {
  const isOpen = openSectionName.value === name
  // A section that is open from the beginning must not scroll a narrow page away from the phone.
  const wasOpen = useRef(isOpen)
  return (
    <details
      class="fold"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        const { open } = currentTarget
        if (open !== (openSectionName.peek() === name)) openSectionName.value = open ? name : ''
        if (open && !wasOpen.current) currentTarget.scrollIntoView({ block: 'nearest' })
        wasOpen.current = open
      }}
    >
      <summary>
        <h3>{title}</h3>
      </summary>
      <div class="stack">{isOpen && <Body />}</div>
    </details>
  )
}
