import { Component, type ComponentType, createElement } from 'preact'

/**
 * Renders a component again only if one of its props has changed. `memo` of preact/compat would add all of compat to
 * the bundle.
 */
export function memo<P extends object>(Inner: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys({ ...this.props, ...next }) as (keyof P)[]
      return names.some((name) => this.props[name] !== next[name])
    }

    override render() {
      return createElement(Inner, this.props)
    }
  }
}
