import { customer } from '../../state/view.ts'
import { Check, Choice } from '../fields.tsx'
import { often } from './arm.ts'
import type { Often } from './often.ts'

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
