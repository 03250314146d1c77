/** The interface of a search provider: Exa, or the stand-in of a development server without a key. */

export type FoundPage = {
  readonly title: string
  readonly url: string
  /** YYYY-MM-DD. */
  readonly date: string | null
  readonly snippet: string
}

export type PageContents = {
  /** The address after redirects. */
  readonly url: string
  readonly title: string
  readonly text: string
  /** The page is longer than `text`. */
  readonly isCut: boolean
}

export type SearchProvider = {
  readonly isStandIn: boolean
  /** An empty list if nothing was found. Throws a `ToolFailure` if the search failed. */
  search(query: string, signal: AbortSignal): Promise<readonly FoundPage[]>
  /** Throws a `ToolFailure` if the page could not be read. */
  contents(url: string, signal: AbortSignal): Promise<PageContents>
}
