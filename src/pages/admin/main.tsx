import '../ui/style/colours.css'
import '../ui/style/base.css'
import './style/frame.css'
import './style/overview.css'
import './style/list.css'
import './style/details.css'
import './style/narrow.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { followState } from './server.ts'

render(<App />, document.getElementById('page') as HTMLElement)
void followState()
