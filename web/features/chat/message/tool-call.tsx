/** One tool call: a summary line with input and output in a disclosure, which is open while the call runs. */
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { t } from './texts/en.ts'

export function ToolCall({ part }: { readonly part: ToolPart }) {
  return (
    <Disclosure open={part.state.startsWith('input')} summary={toolSummary(part)}>
      <div className="ml-[0.1875rem] flex flex-col gap-2 border-l-2 border-foreground/12 pl-4">
        {part.input !== undefined && <Value name={t('input')} value={part.input} />}
        {part.output !== undefined && <Value name={t('result')} value={part.output} />}
        {part.errorText !== undefined && <p className="text-danger">{part.errorText}</p>}
      </div>
    </Disclosure>
  )
}

export function toolSummary({ type, state }: Pick<ToolPart, 'type' | 'state'>): string {
  const words = type
    .slice('tool-'.length)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .toLowerCase()
  switch (state) {
    case 'input-streaming':
    case 'input-available':
      return t('usingTool', { tool: words })
    case 'output-available':
      return t('usedTool', { tool: words })
    case 'output-error':
      return t('toolFailed', { tool: words })
  }
}

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div>
      <p className="text-xs text-muted-foreground">{name}</p>
      <pre className="max-h-64 overflow-auto font-mono text-code wrap-anywhere whitespace-pre-wrap text-muted-foreground">{text}</pre>
    </div>
  )
}
