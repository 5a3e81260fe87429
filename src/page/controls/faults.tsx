import './arm-faults.ts'
import { Check, Choice } from '../components/fields.tsx'
import { withKey } from '../keyboard/registry.ts'
import { customer } from '../state/view.ts'
import { faults } from '../state/world.ts'
import { DELIVERY_PRESETS, type Often, type Preset, SEND_PRESETS, titleOf, whenOf } from '../text/faults.ts'
import { arm, disarm, disarmAll, often } from './arm-faults.ts'
import { RememberedKeys } from './remembered-keys.tsx'

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

/** What is armed, and what is left of it. */
export function Armed() {
  const { rules } = faults.value
  if (rules.length === 0)
    return (
      <p class="hint">
        All works as it should. A click below breaks something: the badge says so until it has worn out.
      </p>
    )
  return (
    <div class="armed">
      <ul aria-label="Armed faults">
        {rules.map((rule, index) => (
          <li key={index}>
            <span>
              <b>{titleOf(rule)}</b>
              <span class="hint">{whenOf(rule)}</span>
            </span>
            <button type="button" onClick={() => disarm(rule)} title={withKey('Disarm it', 'x')}>
              Disarm
              <span class="visually-hidden">: {titleOf(rule)}</span>
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

const WORDS: readonly (readonly [Often['how'], string])[] = [
  ['next', 'the next'],
  ['every', 'every nth'],
  ['always', 'always'],
]

/** How often what is clicked below strikes, and for whom. */
export function HowOften() {
  const { how, count, onlyOne } = often.value
  const set = (change: Partial<Often>) => (often.value = { ...often.peek(), ...change })
  return (
    <div class="fields">
      <div class="line">
        <Choice
          label="Strikes"
          value={how}
          options={WORDS}
          set={(value) => set({ how: value as Often['how'], count: value === 'every' ? Math.max(2, count) : count })}
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
                const given = Math.floor(currentTarget.valueAsNumber)
                if (given >= 1) set({ count: given })
              }}
            />
          </label>
        )}
      </div>
      <Check label={`Only for ${customer.value}`} on={onlyOne} set={(on) => set({ onlyOne: on })} />
    </div>
  )
}

/** Faults that are one click away. */
export function PresetList({ title, presets }: { title: string; presets: readonly Preset[] }) {
  return (
    <div>
      <h4>{title}</h4>
      <ul class="presets">
        {presets.map((preset) => (
          <li key={preset.title}>
            <button type="button" onClick={() => arm(preset.rule, often.peek())}>
              <b>{preset.title}</b>
              <span class="hint">{preset.means}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
