// Chunking of the page. The modules of every first visit are in four large files, those that a thread adds, the other icons and the headless
// library in one each: forty small files compress a twelfth worse and take forty requests. The bundler decides about all other modules.
import { resolve } from 'node:path'

type ModuleGraph = { readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null }
type Group = { readonly name: (id: string, graph: ModuleGraph) => string | null; readonly debugName: string; readonly priority: number }

/** Source files by their paths in `web/`. */
type Visits = {
  readonly entry: string
  /** The module that the entry imports on every page after the first paint. */
  readonly app: string
  /** Dynamic imports of a visit of `/`, in addition to the app. */
  readonly first: readonly string[]
  /** Pages that need only a small part of `first`. Modules that they share with it go into the entry's chunks. */
  readonly lean: readonly string[]
  /** Dynamic imports of a visit of a thread, in addition to `first`. */
  readonly thread: readonly string[]
  /** Absolute path of the module that loads chunks. The entry and packages import it. */
  readonly loader: string
}

/**
 * `start`: our modules that the entry needs before it loads the app. `base` and `page`: packages and our modules that every page needs. `sync`
 * and `chat`: packages and our modules that only a visit of `/` adds. `thread`: our modules that only a thread adds. Packages import none of our
 * modules, so their chunks rarely change with a deploy.
 */
export function firstChunks(webDir: string, { entry, app, first, lean, thread, loader }: Visits): Group[] {
  const pathsOf = (sources: readonly string[]) => sources.map((source) => resolve(webDir, source))
  /** Entries keep separate files, because the manifest identifies them by file. */
  const entries = new Set(pathsOf([entry, app, ...first, ...lean, ...thread]))
  let reached: Readonly<Record<'start' | 'always' | 'live' | 'thread', ReadonlySet<string>>> | undefined
  const traverse = (graph: ModuleGraph) => {
    const live = closureOf(pathsOf(first), graph)
    const leanPages = closureOf(pathsOf(lean), graph)
    const shared = [...leanPages].filter((id) => live.has(id))
    const start = closureOf([...pathsOf([entry]), loader], graph)
    const always = new Set([...closureOf(pathsOf([app]), graph), ...shared])
    const threadOnly = [...closureOf(pathsOf(thread), graph)].filter((id) => !leanPages.has(id))
    return { start, always, live, thread: new Set(threadOnly) }
  }
  const nameOf = (id: string, graph: ModuleGraph): string | null => {
    reached ??= traverse(graph)
    if (entries.has(id)) return null
    if (reached.start.has(id)) return 'start'
    // Virtual modules of the bundler start with a NUL character.
    const isPackage = id.includes('/node_modules/') || id.startsWith('\0')
    if (reached.always.has(id)) return isPackage ? 'base' : 'page'
    if (reached.live.has(id)) return isPackage ? 'sync' : 'chat'
    if (id.includes('/lucide-react/')) return 'icons'
    if (/\/@(?:ariakit|floating-ui)\//.test(id)) return 'ariakit'
    return reached.thread.has(id) && !isPackage ? 'thread' : null
  }
  // A group also contains the imports of its modules, unless an earlier group has them.
  return ['start', 'base', 'sync', 'page', 'chat', 'icons', 'ariakit', 'thread'].map((debugName, index) => ({
    name: (id, graph) => (nameOf(id, graph) === debugName ? debugName : null),
    debugName,
    priority: 8 - index,
  }))
}

/** All modules that the sources import, directly or indirectly. */
function closureOf(sources: readonly string[], graph: ModuleGraph): Set<string> {
  const found = new Set<string>()
  const visit = (id: string) => {
    // The index of the icons imports all of them; tree shaking selects the used ones.
    if (found.has(id) || id.includes('/lucide-react/')) return
    found.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) visit(imported)
  }
  for (const source of sources) visit(source)
  return found
}
