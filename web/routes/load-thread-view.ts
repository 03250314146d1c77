/**
 * The conversation depends on the Markdown renderer, and an empty page needs neither it nor the header of a thread. They load with the first
 * open thread, or after the first gesture. Separate from `chat.tsx`, because the tree of routes imports this file, and every page loads what
 * that imports.
 */
import { loadOnce } from '../lib/lazy-part.ts'
import { preloadMarkdown } from '../ui/markdown/renderer.ts'

const loadView = () => import('../features/chat/thread/thread-view.tsx')

export const threadView = loadOnce(async () => {
  // Without the renderer, marks would show first, and the text would move.
  const [{ ThreadView }] = await Promise.all([loadView(), preloadMarkdown()])
  return ThreadView
})

export const threadMarks = loadOnce(async () => (await loadView()).ThreadMarks)

export const threadHeader = loadOnce(async () => (await import('../features/shell/thread-header.tsx')).ThreadHeader)

/** Loads all that the page of a thread draws first. */
export const loadThread = () => Promise.all([threadView, threadMarks, threadHeader].map(({ load }) => load()))

const loadProjectPage = () => import('../features/shell/library/project-page.tsx')

export const projectTitle = loadOnce(async () => (await loadProjectPage()).ProjectTitle)

export const projectTabs = loadOnce(async () => (await loadProjectPage()).ProjectTabs)

/** Loads what the page of a project draws around its composer, which would move otherwise. */
export const loadProject = () => Promise.all([projectTitle.load(), projectTabs.load()])
