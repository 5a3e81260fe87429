import { useSignal } from '@preact/signals'
import { runAction } from '../../ui/components/messages.ts'
import { changeRules, faults } from '../state/service.ts'
import { customer } from '../state/view.ts'
import { DELIVERY_PRESETS, faultSchedule, faultTitle, isOf, type Preset, SEND_PRESETS } from '../text/fault-words.ts'
import type { FaultRule } from '../wire/wire-types.ts'
import { RouteForm, schemaOf } from '../form.tsx'

export function FaultsSection() {
  const isOnlyHere = useSignal(false)
  const arm = (rule: FaultRule) => {
    const armed = { ...rule, next: 1, ...(isOnlyHere.peek() && { to: customer.peek() }) }
    runAction(() => changeRules((rules) => [...rules, armed]))
  }
  return (
    <>
      <ArmedFaults />
      <label class="check">
        <input
          type="checkbox"
          checked={isOnlyHere.value}
          onChange={({ currentTarget }) => (isOnlyHere.value = currentTarget.checked)}
        />
        Only for {customer}
      </label>
      <PresetList title="The next send of your app" presets={SEND_PRESETS} arm={arm} />
      <PresetList title="The next delivery to your app" presets={DELIVERY_PRESETS} arm={arm} />
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
    <div class="armed stack">
      <ul aria-label="Armed faults">
        {rules.map((rule, index) => (
          <li key={index}>
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
        <button type="button" class="wide" onClick={() => runAction(() => changeRules(() => []))}>
          Disarm all
        </button>
      )}
    </div>
  )
}

interface PresetListProps {
  readonly title: string
  readonly presets: readonly Preset[]
  readonly arm: (rule: FaultRule) => void
}

function PresetList({ title, presets, arm }: PresetListProps) {
  return (
    <div>
      <h4 class="muted small">{title}</h4>
      <ul class="presets">
        {presets.map((preset) => {
          const armed = faults.value.rules.filter((rule) => isOf(rule, preset))
          return (
            <li key={faultTitle(preset.rule)}>
              <button
                type="button"
                class={`line-button ${armed.length > 0 ? 'is-armed' : ''}`}
                onClick={() => arm(preset.rule)}
              >
                <b>{faultTitle(preset.rule)}</b>
                {armed.length > 0 && <span class="mark small">armed: {armed.map(faultSchedule).join(', ')}</span>}
                <span class="hint">{preset.effect}</span>
              </button>
            </li>
          )
        })}
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
