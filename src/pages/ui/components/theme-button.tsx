import { effect, signal } from '@preact/signals'
import { store, stored } from './storage.ts'

type Theme = 'auto' | 'light' | 'dark'

const STORAGE_KEY = 'switchhook.theme'
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' }
const LABELS: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' }

const theme = signal<Theme>(storedTheme())

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  store('localStorage', STORAGE_KEY, theme.value)
})

function storedTheme(): Theme {
  const kept = stored('localStorage', STORAGE_KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

export function ThemeButton() {
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => (theme.value = NEXT[theme.value])}
      title="Light, dark, or the system's theme"
    >
      <span class="visually-hidden">Theme: </span>
      {LABELS[theme.value]}
    </button>
  )
}
