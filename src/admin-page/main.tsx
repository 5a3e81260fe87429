import '../ui/style/colours.css'
import '../ui/style/base.css'
import '../ui/style/notices.css'
import '../ui/style/body.css'
import '../ui/style/keys.css'
import './style/frame.css'
import './style/overview.css'
import './style/list.css'
import './style/details.css'
import './style/narrow.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { follow } from './state/live.ts'
import { loadVisitor } from './state/visitor.ts'

render(<App />, document.getElementById('page') as HTMLElement)
loadVisitor()
follow()
