import '../ui/style/colours.css'
import '../ui/style/base.css'
import './desk.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { showCount } from './alerts.ts'
import { DeskApp } from './desk-app.tsx'
import { follow } from './live-desk.ts'
import { startTicking } from './service-clock.ts'
import { counts, deskName } from './state-of-desk.ts'
import { speak, t } from './words.ts'

// The server writes language and texts into the page, so that it can show words before the first answer.
const { lang, dataset } = document.documentElement
speak(lang, JSON.parse(dataset['texts'] ?? '{}') as Record<string, string>)
document.documentElement.dir = t('direction')

render(<DeskApp />, document.getElementById('page') as HTMLElement)
effect(() => showCount(counts.value.waiting, deskName()))
startTicking()
void follow()
