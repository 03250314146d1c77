// How the page is cut into files. What every first visit fetches goes into four large ones: forty small ones compress a twelfth worse
// and are forty requests. Everything else is left to the bundler.
import { resolve } from 'node:path'

type ModuleGraph = { readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null }
type Group = { readonly name: (id: string, graph: ModuleGraph) => string | null; readonly debugName: string; readonly priority: number }

/** Sources by their paths in `web/`. */
type Visits = {
  readonly entry: string
  /** What a visit of `/` fetches besides the entry. */
  readonly first: readonly string[]
  /** Pages that do without most of it. What they share with it goes to the entry's side, so that they need not fetch the rest. */
  readonly lean: readonly string[]
  /** Absolute paths of modules that packages import as well. In a later group, `base` would import that group. */
  readonly base?: readonly string[]
}

/**
 * `base` and `page`: the packages and the modules that every page needs. `sync` and `chat`: those of the first visit besides. Packages
 * import none of ours, so theirs are the same files after most deploys.
 */
export function firstChunks(webDir: string, { entry, first, lean, base = [] }: Visits): Group[] {
  const pathsOf = (sources: readonly string[]) => sources.map((source) => resolve(webDir, source))
  /** Entries keep files of their own, because the manifest tells them by these. */
  const entries = new Set(pathsOf([entry, ...first, ...lean]))
  let reached: { readonly always: ReadonlySet<string>; readonly live: ReadonlySet<string> } | undefined
  const reach = (graph: ModuleGraph) => {
    const live = closureOf(pathsOf(first), graph)
    const shared = [...closureOf(pathsOf(lean), graph)].filter((id) => live.has(id))
    return { always: new Set([...closureOf(pathsOf([entry]), graph), ...shared]), live }
  }
  const nameOf = (id: string, graph: ModuleGraph): string | null => {
    reached ??= reach(graph)
    if (entries.has(id)) return null
    if (base.includes(id)) return 'base'
    // The bundler's own helpers have names that no file can have.
    const isPackage = id.includes('/node_modules/') || id.startsWith('\0')
    if (reached.always.has(id)) return isPackage ? 'base' : 'page'
    if (!reached.live.has(id)) return null
    return isPackage ? 'sync' : 'chat'
  }
  // A group brings along what its modules import, unless one before it already has that.
  return ['base', 'sync', 'page', 'chat'].map((debugName, index) => ({
    name: (id, graph) => (nameOf(id, graph) === debugName ? debugName : null),
    debugName,
    priority: 4 - index,
  }))
}

/** Everything that the sources import, directly or not. */
function closureOf(sources: readonly string[], graph: ModuleGraph): Set<string> {
  const found = new Set<string>()
  const visit = (id: string) => {
    // The index of the icons imports all of them; which ones are used, the bundler knows.
    if (found.has(id) || id.includes('/lucide-react/')) return
    found.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) visit(imported)
  }
  for (const source of sources) visit(source)
  return found
}
