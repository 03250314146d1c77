/**
 * The conversation depends on the Markdown renderer, and an empty page needs neither. Both load with the first open thread, or after the
 * first gesture. Separate from `chat.tsx`, because the tree of routes imports this file, and every page loads what that imports.
 */
import { loadOnce } from '../lib/lazy-part.ts'
import { preloadMarkdown } from '../ui/markdown/renderer.ts'

export const threadView = loadOnce(async () => {
  // Without the renderer, marks would show first, and the text would move.
  const [{ ThreadView }] = await Promise.all([import('../features/chat/thread/thread-view.tsx'), preloadMarkdown()])
  return ThreadView
})
