import { effect, signal } from '@preact/signals'

type Theme = 'auto' | 'light' | 'dark'

const STORAGE_KEY = 'switchhook.theme'
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' }
const LABELS: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' }

const theme = signal<Theme>(storedTheme())

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  try {
    localStorage.setItem(STORAGE_KEY, theme.value)
  } catch {
    // The browser has no storage: the theme lasts as long as the page.
  }
})

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORAGE_KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'auto'
  } catch {
    return 'auto'
  }
}

/** Switches between light, dark and the system's choice. */
export function ThemeButton() {
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => (theme.value = NEXT[theme.value])}
      title="Light, dark, or as the system has it"
    >
      <span class="visually-hidden">Theme: </span>
      {LABELS[theme.value]}
    </button>
  )
}
