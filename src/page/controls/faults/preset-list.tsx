import { arm, often } from './arm.ts'
import type { Preset } from './presets.ts'

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
