/** The result of a server's tool: texts, images, links and structured content. The server chose all of it, so nothing is rendered as HTML. */
import { type ServerContent, serverOutputOf } from '../../../../worker/contract/tools/server-output.ts'
import { scrollTabStop } from '../../../ui/scroll-tab-stop.ts'
import { t } from './texts/en.ts'

export function ServerOutput({ output }: { readonly output: unknown }) {
  const parsed = serverOutputOf(output)
  if (!parsed) return <Json value={output} />
  const { content, data, isError, isCut } = parsed
  return (
    <div className="flex flex-col gap-2">
      <p className={isError ? 'text-xs text-danger' : 'text-xs text-muted-foreground'}>{t(isError ? 'toolReportsFailure' : 'result')}</p>
      {content.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change.
        <ContentPart key={index} part={part} />
      ))}
      {data !== undefined && <Json value={data} />}
      {isCut && <p className="text-xs text-muted-foreground">{t('resultCut')}</p>}
    </div>
  )
}

const Json = ({ value }: { readonly value: unknown }) => (
  <pre ref={scrollTabStop} className={preClass}>
    {JSON.stringify(value, null, 2)}
  </pre>
)

const preClass = 'max-h-64 scroll-ends overflow-auto font-mono text-code wrap-anywhere whitespace-pre-wrap text-muted-foreground'

function ContentPart({ part }: { readonly part: ServerContent }) {
  switch (part.type) {
    case 'text':
      return (
        <pre ref={scrollTabStop} dir="auto" className={preClass}>
          {part.text}
        </pre>
      )
    case 'image':
      return (
        <img
          alt={t('resultImage')}
          src={`data:${part.mediaType};base64,${part.data}`}
          className="max-h-80 max-w-full self-start rounded-lg border"
        />
      )
    case 'link':
      return (
        <a
          href={part.url}
          target="_blank"
          rel="noreferrer noopener"
          className="self-start text-accent wrap-anywhere hover:underline touch:py-3"
        >
          {part.title}
          <span className="ml-2 inline-block text-muted-foreground">{URL.parse(part.url)?.hostname}</span>
        </a>
      )
  }
}
