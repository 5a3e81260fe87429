// The reader's own fonts: none has to be loaded.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
