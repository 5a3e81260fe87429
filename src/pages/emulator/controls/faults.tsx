import { Sentence } from '../../ui/components/body.tsx'
import { runAction } from '../../ui/components/messages.ts'
import { changeRules, faults } from '../state/service.ts'
import { DELIVERY_PRESETS, faultSchedule, faultTitle, type Preset, SEND_PRESETS } from '../text/fault-words.ts'
import type { FaultRule } from '../wire/wire-types.ts'
import { RouteForm, schemaOf } from '../form.tsx'

export function FaultsSection() {
  return (
    <>
      <ArmedFaults />
      <PresetList title="The next send of your app" presets={SEND_PRESETS} />
      <PresetList title="The next delivery to your app" presets={DELIVERY_PRESETS} />
      <RouteForm
        title="Arm another fault"
        route="PUT faults"
        schema={(route) => schemaOf(route)?.properties?.['rules']?.items}
        send={(rule) => changeRules((rules) => [...rules, rule as FaultRule])}
      />
    </>
  )
}

function ArmedFaults() {
  const { rules } = faults.value
  if (rules.length === 0)
    return <p class="hint">Everything works. A click below breaks something until the fault is used up.</p>
  return (
    <div class="armed card stack">
      <ul aria-label="Armed faults">
        {rules.map((rule, index) => (
          <li key={index} class="line">
            <span>
              <b>{faultTitle(rule)}</b>
              <span class="hint">
                {rule.on}: {faultSchedule(rule)}
              </span>
            </span>
            <button type="button" onClick={() => removeRule(rule)}>
              Disarm
              <span class="visually-hidden">: {faultTitle(rule)}</span>
            </button>
          </li>
        ))}
      </ul>
      {rules.length > 1 && (
        <button type="button" onClick={() => runAction(() => changeRules(() => []))}>
          Disarm all
        </button>
      )}
    </div>
  )
}

function PresetList({ title, presets }: { readonly title: string; readonly presets: readonly Preset[] }) {
  return (
    <div>
      <h4 class="muted small">{title}</h4>
      <ul class="card lines">
        {presets.map(({ rule, effect }) => (
          <li key={faultTitle(rule)}>
            <button
              type="button"
              class="line-button"
              onClick={() => runAction(() => changeRules((rules) => [...rules, { ...rule, next: 1 }]))}
            >
              <b>{faultTitle(rule)}</b>
              <span class="hint">
                <Sentence text={effect} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function removeRule(rule: FaultRule): void {
  const text = JSON.stringify(rule)
  runAction(() =>
    changeRules((rules) => {
      const index = rules.findIndex((one) => JSON.stringify(one) === text)
      return index < 0 ? rules : rules.toSpliced(index, 1)
    }),
  )
}
