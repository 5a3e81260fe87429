import { effect, signal } from '@preact/signals'

type Theme = 'auto' | 'light' | 'dark'

const KEPT_AS = 'switchhook.theme'
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' }
const WORDS: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' }

const theme = signal<Theme>(keptTheme())

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  try {
    localStorage.setItem(KEPT_AS, theme.value)
  } catch {
    // A browser that keeps nothing.
  }
})

function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEPT_AS)
    return kept === 'light' || kept === 'dark' ? kept : 'auto'
  } catch {
    return 'auto'
  }
}

export function ThemeButton() {
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => (theme.value = NEXT[theme.value])}
      title="Light, dark, or as the system has it"
    >
      <span class="visually-hidden">Theme: </span>
      {WORDS[theme.value]}
    </button>
  )
}
