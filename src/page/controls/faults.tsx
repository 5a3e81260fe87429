import { Checkbox, Select } from '../../ui/components/fields.tsx'
import { faults } from '../state/service.ts'
import { customer } from '../state/view.ts'
import {
  DELIVERY_PRESETS,
  faultSchedule,
  faultTitle,
  isOf,
  type Preset,
  type Repetition,
  SEND_PRESETS,
} from '../text/faults.ts'
import type { FaultRule } from '../wire/types.ts'
import { arm, disarm, disarmAll, repetition } from './arm-faults.ts'
import { RememberedKeys } from './remembered-keys.tsx'

/** Counts the armed faults beside the section's title. */
export function FaultsNote() {
  const armed = faults.value.rules.length
  return armed === 0 ? <>none</> : <b class="bad">{armed} armed</b>
}

/** The faults that a user can arm, and those that are armed. */
export function FaultsSection() {
  return (
    <>
      <ArmedFaults />
      <RepetitionFields />
      <PresetList title="A send of your app" presets={SEND_PRESETS} />
      <PresetList title="A delivery to your app" presets={DELIVERY_PRESETS} />
      <RememberedKeys />
      <FixedRecipients />
    </>
  )
}

function ArmedFaults() {
  const { rules } = faults.value
  if (rules.length === 0)
    return (
      <p class="hint">
        All works as it should. A click below breaks something: the badge says so until it has worn out.
      </p>
    )
  return (
    <div class="armed stack">
      <ul aria-label="Armed faults">
        {rules.map((rule, index) => (
          <li key={index}>
            <span>
              <b>{faultTitle(rule)}</b>
              <span class="hint">{faultSchedule(rule)}</span>
            </span>
            <button type="button" onClick={() => disarm(rule)} title="Disarm it">
              Disarm
              <span class="visually-hidden">: {faultTitle(rule)}</span>
            </button>
          </li>
        ))}
      </ul>
      {rules.length > 1 && (
        <button type="button" class="wide" onClick={disarmAll}>
          Disarm all
        </button>
      )}
    </div>
  )
}

const FREQUENCIES: readonly (readonly [Repetition['how'], string])[] = [
  ['next', 'the next'],
  ['every', 'every nth'],
  ['always', 'always'],
]

/** Chooses how often the next armed fault strikes, and for whom. */
function RepetitionFields() {
  const { how, count, onlyOne } = repetition.value
  const set = (change: Partial<Repetition>) => (repetition.value = { ...repetition.peek(), ...change })
  return (
    <div class="stack">
      <div class="line">
        <Select
          label="Strikes"
          value={how}
          options={FREQUENCIES}
          set={(value) =>
            set({ how: value as Repetition['how'], count: value === 'every' ? Math.max(2, count) : count })
          }
        />
        {how !== 'always' && (
          <label class="count">
            {how === 'next' ? 'How many' : 'Which'}
            <input
              type="number"
              min={1}
              max={1_000}
              value={count}
              onInput={({ currentTarget }) => {
                const typed = Math.floor(currentTarget.valueAsNumber)
                if (typed >= 1) set({ count: typed })
              }}
            />
          </label>
        )}
      </div>
      <Checkbox label={`Only for ${customer.value}`} on={onlyOne} set={(on) => set({ onlyOne: on })} />
    </div>
  )
}

function PresetList({ title, presets }: { title: string; presets: readonly Preset[] }) {
  return (
    <div>
      <h4>{title}</h4>
      <ul class="presets">
        {presets.map((preset) => (
          <PresetItem
            key={preset.title}
            preset={preset}
            armed={faults.value.rules.filter((rule) => isOf(rule, preset))}
          />
        ))}
      </ul>
    </div>
  )
}

/** The button of one fault. While the fault is armed, the button says so, and what it will strike. */
function PresetItem({ preset: { title, effect, rule }, armed }: { preset: Preset; armed: readonly FaultRule[] }) {
  return (
    <li>
      <button
        type="button"
        class={`line-button ${armed.length > 0 ? 'is-armed' : ''}`}
        onClick={() => arm(rule, repetition.peek())}
      >
        <b>{title}</b>
        {armed.length > 0 && <span class="mark">armed: {armed.map(faultSchedule).join(', ')}</span>}
        <span class="hint">{effect}</span>
      </button>
    </li>
  )
}

/** Lists the recipients with a fixed fate, for automated runs. */
function FixedRecipients() {
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
