// What was gathered of a run, row by row.

/** What a column is made of: its name, where its values stand in a row, and what they count. */
interface Column {
  name: string;
  at: number;
  unit: number;
}

/** Reads a row: the value at a place of it, and the number of the rows before it. */
type Reader<Row> = (value: (at: number) => number, index: number) => Row;

/** Rows, and their columns of numbers. */
export class Table<Row> implements Iterable<Row> {
  /** The number of rows. */
  readonly length: number;
  /** The names of the columns of numbers. */
  readonly columns: readonly string[];
  private readonly values: Float64Array;
  private readonly width: number;
  private readonly numbers: Column[];
  private readonly reader: Reader<Row>;

  /** @internal */
  constructor(values: Float64Array, width: number, numbers: Column[], reader: Reader<Row>) {
    this.values = values;
    this.width = width;
    this.numbers = numbers;
    this.reader = reader;
    this.length = values.length / width;
    this.columns = numbers.map(({ name }) => name);
  }

  /** A row by its index; from the end where it is negative. */
  at(index: number): Row | undefined {
    const row = index < 0 ? this.length + index : index;
    return row >= 0 && row < this.length ? this.read(row) : undefined;
  }

  private read(row: number): Row {
    return this.reader((at) => this.values[row * this.width + at]!, row);
  }

  *[Symbol.iterator](): IterableIterator<Row> {
    for (let row = 0; row < this.length; row += 1) yield this.read(row);
  }

  /** The first row of which something holds. */
  find(holds: (row: Row) => boolean): Row | undefined {
    for (const row of this) if (holds(row)) return row;
    return undefined;
  }

  /** The rows of which something holds. */
  filter(holds: (row: Row) => boolean): Row[] {
    return Array.from(this).filter(holds);
  }

  /** All values of a column of numbers. */
  column(name: string): Float64Array {
    const column = this.numbers.find((known) => known.name === name);
    if (!column) throw new RangeError(`no column is called '${name}'; known: ${this.columns.join(", ")}`);
    const { at, unit } = column;
    return Float64Array.from({ length: this.length }, (_, row) => this.values[row * this.width + at]! * unit);
  }
}
