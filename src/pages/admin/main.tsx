import '../ui/style/colours.css'
import '../ui/style/base.css'
import './admin.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { followState } from './server.ts'

render(<App />, document.getElementById('page') as HTMLElement)
void followState()
