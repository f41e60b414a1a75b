/** An instance that cannot become a domain; `field` is the path inside the instance, e.g. "spec.domain.cpu.model". */
export class ConversionError extends Error {
  override name = 'ConversionError';
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
  }
}
