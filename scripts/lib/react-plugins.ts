// How the page's components are built, for the product and for the benchmarks of single components.
import babel from '@rolldown/plugin-babel'
import react, { reactCompilerPreset } from '@vitejs/plugin-react'

/** Compiles the functions with 'use memo' (ADR 0118). A function that breaks a rule of React, such as reading a ref in render, fails the build. */
const compiler = reactCompilerPreset({ compilationMode: 'annotation', panicThreshold: 'all_errors' })

export const reactPlugins = () => [react(), babel({ presets: [compiler] })]
