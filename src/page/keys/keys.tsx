import { namesOf } from './names.ts'

const IS_MAC = navigator.userAgent.includes('Mac')

/** The keys of one shortcut, as they are pressed. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span class="keys">
      {namesOf(keys, IS_MAC).map((name, index) => (
        <kbd key={index}>{name}</kbd>
      ))}
    </span>
  )
}
