/** The web as a source of tools: search and reading pages. turn-web.ts decides what they may do. */
import { z } from 'zod'
import { maxPageReadsPerTurn, maxQueryChars, maxSearchesPerTurn } from '../../contract/limits.ts'
import { isSearch, readPageTool, searchOutputOf, searchTool } from '../../contract/models/tools.ts'
import { webSource } from '../../contract/tools/taint.ts'
import { sourceTool, type ToolSource } from './registry.ts'
import type { SearchProvider } from './search-provider.ts'
import { pageForModel, searchForModel, type TurnContext, turnWeb } from './turn-web.ts'

const searchInput = z.object({ query: z.string().trim().min(1).max(maxQueryChars).describe('What to search for, in a few precise words.') })
const pageInput = z.object({
  url: z.string().trim().min(1).max(2000).describe('The address, exactly as a search result or the user gave it.'),
})

/** Grants of these tools end when their definitions change. */
const digest = '1'

/**
 * A failed search may be repeated, so only the answered ones of a continued answer count. `onSearch` is called before each search and may
 * refuse it with a `ToolFailure`.
 */
export function webTools(context: TurnContext, provider: SearchProvider, onSearch: () => void | Promise<void> = () => {}): ToolSource {
  const made = (context.continued ?? []).filter((part) => isSearch(part) && searchOutputOf(part) !== null).length
  const searches = Math.max(0, maxSearchesPerTurn - made)
  const web = turnWeb(context, provider, { searches, reads: maxPageReadsPerTurn, onSearch })
  return {
    id: webSource,
    name: 'Web',
    tools: [
      sourceTool({
        name: searchTool,
        title: 'Search',
        description: 'Searches the web. Returns numbered results with title, address, date and a passage.',
        inputSchema: searchInput,
        isReadOnly: true,
        digest,
        execute: async ({ query }, { signal }) => {
          const output = await web.search(query, signal)
          return { shown: output, forModel: searchForModel(output) }
        },
      }),
      sourceTool({
        name: readPageTool,
        title: 'Read a page',
        description: 'Reads the text of one public web page that a search returned or the user named.',
        inputSchema: pageInput,
        isReadOnly: true,
        // `ReadingRights`: only addresses from results and from the user.
        isSelection: true,
        digest,
        execute: async ({ url }, { signal }) => {
          const { text, ...page } = await web.readPage(url, signal)
          return { shown: page, forModel: pageForModel({ ...page, text }) }
        },
      }),
    ],
  }
}
