/**
 * The tools of one turn in Search mode for the SDK. turn-web.ts decides what they may do.
 *
 * Invariant: the model writes every query before it has read anything from the web, in this call or in the answer that it continues. So a page
 * cannot choose what is searched.
 */
import { type ModelMessage, type ToolSet, tool } from 'ai'
import { z } from 'zod'
import { maxPageReadsPerTurn, maxQueryChars, maxSearchesPerTurn } from '../../contract/limits.ts'
import { goesOnFromWeb, isSearch, isToolPart, readPageTool, searchOutputOf, searchTool } from '../../contract/models/tools.ts'
import type { MessagePart } from '../../contract/threads/messages.ts'
import { ToolFailure } from './tool-failure.ts'
import { pageForModel, type SearchConnection, searchForModel, type ToolContext, turnWeb } from './turn-web.ts'
import { hasSeenWeb } from './untrusted.ts'

const searchInput = z.object({ query: z.string().trim().min(1).max(maxQueryChars).describe('What to search for, in a few precise words.') })
const pageInput = z.object({
  url: z.string().trim().min(1).max(2000).describe('The address, exactly as a search result or the user gave it.'),
})

export function turnTools(context: ToolContext, connection: SearchConnection): ToolSet {
  const searches = Math.max(0, maxSearchesPerTurn - (context.continued ?? []).filter(hasBeenAnswered).length)
  const web = turnWeb(context, connection, { searches, reads: maxPageReadsPerTurn })
  const search = {
    [searchTool]: tool({
      description: 'Searches the web. Returns numbered results with title, address, date and a passage.',
      inputSchema: searchInput,
      execute: ({ query }, { abortSignal = never, messages }) => {
        if (hasSeenWeb(messages)) throw new ToolFailure('Nothing more is searched for once something was found or a page was opened.')
        return web.search(query, abortSignal)
      },
      toModelOutput: ({ output }) => ({ type: 'text', value: searchForModel(connection.mark, output) }),
    }),
  }
  return {
    ...(searches === 0 || goesOnFromWeb(context.continued ?? []) ? {} : search),
    [readPageTool]: tool({
      description: 'Reads the text of one public web page that a search returned or the user named.',
      inputSchema: pageInput,
      execute: ({ url }, { abortSignal = never }) => web.readPage(url, abortSignal),
      toModelOutput: ({ output }) => ({ type: 'text', value: pageForModel(connection.mark, output) }),
    }),
  }
}

/** A failed search may be repeated. */
const hasBeenAnswered = (part: MessagePart): boolean => isToolPart(part) && isSearch(part) && searchOutputOf(part) !== null

/** The tools of the next step. A call of another tool is refused above. */
export const offeredTools = (tools: ToolSet, messages: readonly ModelMessage[]): string[] =>
  Object.keys(tools).filter((name) => name !== searchTool || !hasSeenWeb(messages))

const never = new AbortController().signal
