// How the page's components are built, for the product and for the benchmarks of single components. Compiled code is larger: the files of the
// first load compile only the functions with 'use memo', to stay within their budget (ADR 0118). All other files compile every function.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import babel from '@rolldown/plugin-babel'
import react, { reactCompilerPreset } from '@vitejs/plugin-react'
import { budgetedSources } from '../first-load.ts'
import { rootDir } from './paths.ts'

/** A relative import with an extension. The generated tree of routes has none: it imports the pages of all routes, which load later. */
const staticImport = /^(?:import|export) (?!type )[^'"()=]*'(\.[^']+\.tsx?)'/gm

function firstLoadFiles(): ReadonlySet<string> {
  const files = new Set<string>()
  const visit = (file: string) => {
    if (files.has(file)) return
    files.add(file)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(staticImport)) visit(resolve(dirname(file), path))
  }
  for (const source of budgetedSources) visit(join(rootDir, 'web', source))
  return files
}

/** The call of a hook or the end of an element: only such files can contain a component or a hook. */
const usesReact = /\buse(?:[A-Z]\w*)?(?:<[^(]*>)?\(|<\/|\/>/

/** The name distinguishes presets of one file. A function that breaks a rule of React, such as reading a ref in render, fails the build. */
function compiler(name: string, options: Parameters<typeof reactCompilerPreset>[0]) {
  const { preset, rolldown } = reactCompilerPreset({ ...options, panicThreshold: 'all_errors' })
  return {
    preset: [...(preset as [string, object]), name] as [string, object, string],
    rolldown: { ...rolldown, filter: { code: usesReact } },
  }
}

export function reactPlugins() {
  const firstLoad = firstLoadFiles()
  const isInFirstLoad = (id: string) => firstLoad.has(id.replace(/\?.*/, ''))
  return [
    react(),
    babel({
      presets: [
        compiler('marked', { compilationMode: 'annotation', sources: isInFirstLoad }),
        // Presets run from the last to the first: the check reads the source, not the output of the compiler.
        compiler('check', { compilationMode: 'infer', noEmit: true, sources: isInFirstLoad }),
        compiler('all', { compilationMode: 'infer', sources: (id) => !isInFirstLoad(id) }),
      ],
    }),
  ]
}
