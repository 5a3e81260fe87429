import './actions.ts'
import { faults } from '../../state/world.ts'
import { Armed } from './armed.tsx'
import { HowOften } from './how-often.tsx'
import { RememberedKeys } from './remembered-keys.tsx'
import { PresetList } from './preset-list.tsx'
import { DELIVERY_PRESETS, SEND_PRESETS } from './presets.ts'

export function FaultsNote() {
  const armed = faults.value.rules.length
  return armed === 0 ? <>none</> : <b class="bad">{armed} armed</b>
}

/** What goes wrong on purpose. */
export function FaultsPart() {
  return (
    <>
      <Armed />
      <HowOften />
      <PresetList title="A send of your app" presets={SEND_PRESETS} />
      <PresetList title="A delivery to your app" presets={DELIVERY_PRESETS} />
      <RememberedKeys />
      <Recipients />
    </>
  )
}

/** For runs that nobody attends. */
function Recipients() {
  return (
    <details class="more">
      <summary>Recipients that always fare the same</summary>
      <dl class="pairs">
        {faults.value.recipients.map(({ to, does }) => (
          <div key={to}>
            <dt class="mono">{to}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
