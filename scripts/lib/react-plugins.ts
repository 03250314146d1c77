// How the page's components are built, for the product and for the benchmarks of single components.
import babel from '@rolldown/plugin-babel'
import react, { reactCompilerPreset } from '@vitejs/plugin-react'

/** The call of a hook or the end of an element: only such files can contain a component or a hook. */
const usesReact = /\buse(?:[A-Z]\w*)?(?:<[^(]*>)?\(|<\/|\/>/

/** A function that breaks a rule of React, such as reading a ref in render, fails the build. */
export function reactPlugins() {
  const { preset, rolldown } = reactCompilerPreset({ panicThreshold: 'all_errors' })
  return [react(), babel({ presets: [{ preset, rolldown: { ...rolldown, filter: { code: usesReact } } }] })]
}
