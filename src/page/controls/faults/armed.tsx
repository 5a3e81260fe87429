import { withKey } from '../../keys/names.ts'
import { faults } from '../../state/world.ts'
import { disarm, disarmAll } from './arm.ts'
import { titleOf, whenOf } from './words.ts'

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
