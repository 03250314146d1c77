import { catalogue } from '../../../lib/i18n/text-catalogue.ts'

/** Texts of rendered Markdown. English, in ICU syntax. */
export const en = {
  wrapLines: 'Wrap lines',
  copyCode: 'Copy code',
  showDiagram: 'Show diagram',
  showCode: 'Show code',
  source: 'Source {number}: {title}',
  done: 'Done',
  notDone: 'Not done',
  footnotes: 'Footnotes',
  backToReference: 'Back to reference {reference}',
  formulaFailed: "This formula can't be drawn",
  formulaTooLong: 'This formula is too long to draw',
  formulaDefines: "Formulas that define commands aren't drawn",
  manyFormulas: 'This message has many formulas. The rest are shown as text.',
  drawMore: 'Draw more',
  diagramTooLarge: 'Diagram is too large to draw',
  diagramWrong: "Diagram has an error and can't be drawn",
  diagramUnsupported: "This kind of diagram isn't supported",
  diagramTooComplex: 'Diagram is too complex to draw',
  diagramAddress: "Diagram refers to an external address and isn't drawn",
  flowchart: 'Flowchart',
  sequenceDiagram: 'Sequence diagram',
  classDiagram: 'Class diagram',
  stateDiagram: 'State diagram',
  erDiagram: 'Entity relationship diagram',
  ganttChart: 'Gantt chart',
  pieChart: 'Pie chart',
  mindMap: 'Mind map',
  timeline: 'Timeline',
  userJourney: 'User journey',
  gitGraph: 'Git graph',
  quadrantChart: 'Quadrant chart',
  chart: 'Chart',
} as const

export const t = catalogue('markdown', en)
