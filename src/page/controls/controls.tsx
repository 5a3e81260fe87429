import { RecordButton } from '../recorder/record-button.tsx'
import { Recorder, RecorderNote } from '../recorder/recorder.tsx'
import { AccountNote, AccountPart } from './account/account.tsx'
import { AgentNote, AgentPart } from './agent.tsx'
import { Ask } from './ask.tsx'
import { Assumptions, AssumptionsNote } from './assumptions/assumptions.tsx'
import { Conversations } from './conversations/conversations.tsx'
import { Endpoint, EndpointNote } from './endpoint/endpoint.tsx'
import { FaultsNote, FaultsPart } from './faults/faults.tsx'
import { Section } from './section.tsx'
import { StatePart } from './state.tsx'
import { TemplatesNote, TemplatesPart } from './templates/templates.tsx'
import { TimeNote, TimePart } from './time/time.tsx'

/** The first pane: whom one is, and the world behind the service. */
export function Controls() {
  return (
    <section class="pane controls" aria-label="Controls">
      <header class="pane-head">
        <h2>Controls</h2>
        <span class="fill" />
        <RecordButton />
      </header>
      <div class="scroll">
        <Conversations />
        <Section name="time" title="Time" Note={TimeNote} Body={TimePart} />
        <Section name="endpoint" title="Endpoint" Note={EndpointNote} Body={Endpoint} />
        <Section name="faults" title="Faults" Note={FaultsNote} Body={FaultsPart} />
        <Section name="agent" title="AI agent" Note={AgentNote} Body={AgentPart} />
        <Section name="account" title="Account" Note={AccountNote} Body={AccountPart} />
        <Section name="templates" title="Templates" Note={TemplatesNote} Body={TemplatesPart} />
        <Section name="assumptions" title="Assumptions" Note={AssumptionsNote} Body={Assumptions} />
        <Section name="recorder" title="Recorder" Note={RecorderNote} Body={Recorder} />
        <Section name="state" title="State" Body={StatePart} />
      </div>
      <Ask />
    </section>
  )
}
