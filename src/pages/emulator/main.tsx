import '../ui/style/colours.css'
import '../ui/style/base.css'
import './emulator.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { follow } from './state/follow.ts'
import { readAddress, syncAddress } from './state/view.ts'

readAddress()
syncAddress()
render(<App />, document.getElementById('page') as HTMLElement)
void follow()
